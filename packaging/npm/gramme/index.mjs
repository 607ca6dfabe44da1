import gramme from './index.cjs';

export const { start, Server, binary } = gramme;

export default { test: { include: ['*.vitest.mjs'], setupFiles: ['gramme/vitest'] } };

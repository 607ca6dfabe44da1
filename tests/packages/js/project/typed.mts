// What TypeScript knows of the package. It is compiled, and not run.
import { start, type Server } from 'gramme';

const server: Server = await start({ port: 8000, timeout: 1000, tables: [] });
await server.stop();
{
  await using other = await start();
  const endpoint: string = other.endpoint;
}
await gramme.reset();
// @ts-expect-error: a mistake is one.
await gramme.rest();

export interface StartOptions {
  /** The port to listen at; 0, which is the default, picks a free one. */
  port?: number;
  /** A directory to keep the data in. Without one all of it is in memory, and gone when the server stops. */
  data?: string;
  /** Inputs of CreateTable: tables that are there when start() resolves, and again after reset(). */
  tables?: object[];
  /** More options of `gramme serve`, as ['--test-clock', '--ttl-delay', '48h']. */
  args?: string[];
  /** How many milliseconds it may take until it answers: 60,000 unless told. */
  timeout?: number;
}

export class Server {
  readonly endpoint: string;
  readonly port: number;
  readonly region: string;
  readonly credentials: { accessKeyId: string; secretAccessKey: string };
  /** For a client: new DynamoDBClient(server.config). */
  readonly config: { endpoint: string; region: string; credentials: { accessKeyId: string; secretAccessKey: string } };
  /** For process.env: what the AWS SDKs and the AWS CLI read by themselves. */
  readonly environment: Record<string, string>;
  /** A request without a client. */
  call(operation: string, input?: object): Promise<any>;
  createTables(tables: object[]): Promise<void>;
  /** As it was when it had started: its tables are there and empty, and no others. In memory that takes a millisecond or two. */
  reset(): Promise<void>;
  /** Keeps all that there is now under a name. In memory only, as the next three. */
  snapshot(name: string): Promise<void>;
  /** Everything is as it was when the snapshot was made. */
  restore(name: string): Promise<void>;
  snapshots(): Promise<string[]>;
  /** Another set of tables in the same server, under an access key of its own, that begins with a snapshot, or with what the server was
   * started with; with the option --name-spaces. Its stop() leaves it empty. */
  fork(accessKeyId: string, name?: string): Promise<Server>;
  deleteSnapshot(name: string): Promise<void>;
  /** The time of a server with --test-clock, read, or moved: clock({ Advance: 3600 }). */
  clock(move?: { Now?: number; Advance?: number; Running?: boolean }): Promise<{ Now: number; Running: boolean }>;
  /** What is to go wrong in a server with --test-faults: faults({ Operation: 'PutItem', Error: 'ThrottlingException' }). */
  faults(...wanted: object[]): Promise<{ Faults: object[] }>;
  /** Any request below /_gramme/. */
  own(method: string, path: string, body?: object): Promise<any>;
  stop(): Promise<void>;
  /** For `await using server = await start()`. */
  [Symbol.asyncDispose](): Promise<void>;
}

export function start(options?: StartOptions): Promise<Server>;
/** The path of the program. */
export function binary(): string;

declare global {
  /** The server of the presets for jest, vitest and mocha, in tests that run with one of them. */
  var gramme: Server;
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
}

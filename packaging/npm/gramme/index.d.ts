export interface StartOptions {
  /** The port to listen at; 0, which is the default, picks a free one. */
  port?: number;
  /** A directory to keep the data in. Without one all of it is in memory, and gone when the server stops. */
  data?: string;
  /** Inputs of CreateTable: tables that are there when start() resolves, and again after reset(). */
  tables?: object[];
  /** More options of `gramme serve`, as ['--test-clock', '--ttl-delay', '48h']. */
  args?: string[];
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
  /** As it was when it had started: its tables are there and empty, and no others. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

export function start(options?: StartOptions): Promise<Server>;
/** The path of the program. */
export function binary(): string;

import { connect, type Socket } from 'node:net';

export interface Target {
  readonly port: number;
  /** The same for all, or one for each of the people. */
  readonly path: string | readonly string[];
  /** Headers of the people, who take turns so that nobody reaches a rate limit. */
  readonly people: readonly Readonly<Record<string, string>>[];
}

interface Reply {
  readonly status: number;
  readonly body: Buffer;
}

const HEADER_END = Buffer.from('\r\n\r\n');

/**
 * One keep-alive connection that finds the end of replies by Content-Length. It is cheap, to leave the
 * processor to the server.
 */
class Connection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #done: ((reply: Reply) => void) | null = null;
  #failed: ((error: Error) => void) | null = null;

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1').setNoDelay();
    this.#socket.on('data', (chunk) => this.#take(chunk));
    this.#socket.on('error', (error) => this.#failed?.(error));
    this.#socket.on('close', () => this.#failed?.(new Error('the server closed a connection')));
  }

  ask(request: Buffer): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.#done = resolve;
      this.#failed = reject;
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#failed = null;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const end = this.#received.indexOf(HEADER_END);
    if (end < 0) return;
    const head = this.#received.toString('latin1', 0, end);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
    if (Number.isNaN(length)) {
      this.#failed?.(new Error(`a reply without Content-Length:\n${head}`));
      return;
    }
    const start = end + HEADER_END.length;
    if (this.#received.length < start + length) return;
    const body = this.#received.subarray(start, start + length);
    this.#received = this.#received.subarray(start + length);
    this.#done?.({ status: Number(head.slice(9, 12)), body });
  }
}

function requestsOf({ path, people }: Target): Buffer[] {
  return people.map((headers, at) => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join('');
    return Buffer.from(`GET ${typeof path === 'string' ? path : path[at]} HTTP/1.1\r\n${lines}\r\n`);
  });
}

/** One request of the first person. Throws unless the status is 200. */
export async function ask(target: Target): Promise<Buffer> {
  const connection = new Connection(target.port);
  const [first] = requestsOf(target);
  if (!first) throw new Error('nobody asks');
  try {
    const { status, body } = await connection.ask(first);
    if (status !== 200) throw new Error(`${String(target.path)} answered ${status}`);
    return body;
  } finally {
    connection.close();
  }
}

/**
 * Sends requests on `connections` connections for `seconds`. Throws unless every status is 200.
 * @returns the number of replies
 */
export async function load(target: Target, connections: number, seconds: number): Promise<number> {
  const until = performance.now() + seconds * 1000;
  const requests = requestsOf(target);
  let asked = 0;
  await Promise.all(Array.from({ length: connections }, async () => {
    const connection = new Connection(target.port);
    while (performance.now() < until) {
      const request = requests[asked % requests.length];
      asked += 1;
      const { status } = await connection.ask(request ?? Buffer.alloc(0));
      if (status !== 200) throw new Error(`${String(target.path)} answered ${status}`);
    }
    connection.close();
  }));
  return asked;
}

import { createServer, type Server, type Socket } from 'node:net';

/** An email as the server got it. */
export interface ReceivedEmail {
  readonly to: readonly string[];
  readonly raw: string;
}

/** A mail server on loopback (RFC 5321), as little of one as a test needs. */
export class TestMailServer {
  readonly received: ReceivedEmail[] = [];
  /** Replies to the next recipients, such as `450 later`; after them all are accepted. */
  readonly refusals: string[] = [];
  /** How many connections to cut after receiving the message, before replying. */
  cuts = 0;
  readonly #server: Server = createServer((socket) => this.#serve(socket));
  readonly #sockets = new Set<Socket>();

  async start(): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the mail server has no port');
    return `smtp://127.0.0.1:${address.port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket));
    const say = (line: string): boolean => socket.write(`${line}\r\n`);
    let [pending, to, inData]: [string, string[], boolean] = ['', [], false];
    say('220 mail.test');
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      pending += chunk;
      for (;;) {
        const end = inData ? '\r\n.\r\n' : '\r\n';
        const at = pending.indexOf(end);
        if (at < 0) return;
        const line = pending.slice(0, at);
        pending = pending.slice(at + end.length);
        if (inData) {
          this.received.push({ to, raw: line.replaceAll('\r\n..', '\r\n.') });
          [to, inData] = [[], false];
          if (this.cuts > 0) {
            this.cuts -= 1;
            socket.destroy();
            return;
          }
          say('250 taken');
        } else if (/^EHLO/iu.test(line)) say('250 mail.test');
        else if (/^RCPT/iu.test(line)) {
          const refusal = this.refusals.shift();
          if (refusal === undefined) to.push(/<(?<to>[^>]*)>/u.exec(line)?.groups?.['to'] ?? '');
          say(refusal ?? '250 ok');
        } else if (/^DATA/iu.test(line)) {
          inData = true;
          say('354 go on');
        } else if (/^QUIT/iu.test(line)) {
          socket.end('221 bye\r\n');
          return;
        } else say('250 ok');
      }
    });
  }
}

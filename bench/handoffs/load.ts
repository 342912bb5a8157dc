import { connect, type Socket } from "node:net";

/*
 * A load generator that costs a quarter of an HTTP client's time: on two cores whatever it takes is taken from the
 * service. It speaks just enough HTTP/1.1 for this one exchange, and still looks at the status of every answer.
 */

/** What is sent again and again, and how its answers are recognised. */
export interface Load {
  readonly url: string;
  readonly path: string;
  readonly key: string;
  readonly connections: number;
  /** The next body, ASCII. */
  next(): string;
}

/** How many answers had the status that was wanted, and how many did not. */
export interface Answers {
  readonly good: number;
  readonly bad: number;
  readonly ms: number;
}

/** Sends over every connection, the next request when the answer to the last one is whole, until the time is over. */
export async function load(given: Load, wanted: number, milliseconds: number): Promise<Answers> {
  const { hostname, port, host } = new URL(given.url);
  const head = `POST ${given.path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${given.key}\r\ncontent-type: application/json\r\ncontent-length: `;
  const status = `HTTP/1.1 ${wanted} `;
  const sockets = await Promise.all(
    Array.from({ length: given.connections }, () => connected(hostname, Number(port))),
  );
  const began = performance.now();
  let [good, bad] = [0, 0];
  await Promise.all(
    sockets.map(
      (socket) =>
        new Promise<void>((done, fail) => {
          let answer = "";
          const send = (): void => {
            const body = given.next();
            socket.write(`${head}${body.length}\r\n\r\n${body}`, "latin1");
          };
          socket.on("data", (chunk: string) => {
            answer += chunk;
            if (!isWhole(answer)) return;
            if (answer.startsWith(status)) good++;
            else bad++;
            answer = "";
            if (performance.now() - began < milliseconds) send();
            else socket.end(done);
          });
          socket.once("error", fail);
          send();
        }),
    ),
  );
  return { good, bad, ms: performance.now() - began };
}

function connected(host: string, port: number): Promise<Socket> {
  return new Promise((done, fail) => {
    const socket = connect({ host, port, noDelay: true }, () => done(socket));
    socket.setEncoding("latin1");
    socket.once("error", fail);
  });
}

const LENGTH = "\r\ncontent-length: ";

/** True when the text is an answer with all of its body. The service gives every answer's length. */
function isWhole(answer: string): boolean {
  const end = answer.indexOf("\r\n\r\n");
  if (end === -1) return false;
  const at = answer.indexOf(LENGTH);
  const length = Number.parseInt(answer.slice(at + LENGTH.length), 10);
  if (at === -1 || at > end || Number.isNaN(length)) throw new Error("an answer without its length");
  return answer.length >= end + 4 + length;
}

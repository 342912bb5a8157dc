import { createServer } from "node:net";

/*
 * Ports for processes that are started with their number, or that start again at the same address. The kernel gives away the
 * ports from 32768 on, to listeners on port 0 and to every outgoing connection: such a port is free at one moment and
 * taken at the next. These are below, chosen at random, so that test files beside each other choose different ones.
 */
const LOWEST = 10_000;
const HIGHEST = 32_000;

const given = new Set<number>();

/** A port that nobody listens on, and that this process gives once. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if (given.has(port) || !(await canListen(port))) continue;
    given.add(port);
    return port;
  }
  throw new Error("No free port was found in 100 attempts.");
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

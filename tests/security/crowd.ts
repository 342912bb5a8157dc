import { connect, type Socket } from "node:net";

/** Connections that are there to be in the way. */
export interface Crowd {
  /** How many the server has closed so far. */
  readonly closed: number;
  leave(): void;
}

/** Opens connections that send nothing, or one byte of a header every `everyMs`. */
export function gather(port: number, silent: number, dribbling: number, everyMs: number): Crowd {
  let closed = 0;
  const sockets: Socket[] = [];
  const timers: NodeJS.Timeout[] = [];
  const join = (): Socket => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.on("close", () => (closed += 1));
    socket.resume();
    sockets.push(socket);
    return socket;
  };
  for (let i = 0; i < silent; i++) join();
  const request = `GET /livez HTTP/1.1\r\nX-Slow: ${"a".repeat(10_000)}`;
  for (let i = 0; i < dribbling; i++) {
    const socket = join();
    let at = 0;
    timers.push(
      setInterval(() => {
        if (!socket.destroyed) socket.write(request[at++] ?? "a");
      }, everyMs),
    );
  }
  return {
    get closed() {
      return closed;
    },
    leave() {
      for (const timer of timers) clearInterval(timer);
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The value below which this share of the times lies. */
export function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

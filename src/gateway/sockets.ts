import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** How many connections may be held without being used. */
export interface SocketLimits {
  /** All connections. Beyond, the one that was idle longest makes room. */
  readonly maxConnections: number;
  /** Connections whose first request has not arrived. Beyond, the oldest is closed. */
  readonly maxSilent: number;
}

/** Knows which connections are silent, idle or in use. */
export interface Sockets {
  /** A request arrived whole; its connection is in use until the answer has ended. */
  inUse(socket: Socket, response: ServerResponse): void;
  readonly count: number;
}

/**
 * Keeps room for those who ask. A connection costs a descriptor, and one that says nothing must not keep out one that
 * does: the oldest silent connection is closed for a new one, and so is the longest idle when all are taken.
 */
export function watchSockets(server: Server, { maxConnections, maxSilent }: SocketLimits): Sockets {
  const all = new Set<Socket>();
  // Sets keep the order of insertion, so the first is the one that has waited longest.
  const silent = new Set<Socket>();
  const idle = new Set<Socket>();
  const drop = (from: Set<Socket>): boolean => {
    const [oldest] = from;
    if (oldest === undefined) return false;
    from.delete(oldest);
    all.delete(oldest);
    oldest.destroy();
    return true;
  };
  server.on("connection", (socket: Socket) => {
    all.add(socket);
    silent.add(socket);
    socket.once("close", () => {
      all.delete(socket);
      silent.delete(socket);
      idle.delete(socket);
    });
    if (silent.size > maxSilent) drop(silent);
    if (all.size > maxConnections && !drop(idle)) drop(silent);
    if (all.size > maxConnections) {
      all.delete(socket);
      socket.destroy();
    }
  });
  return {
    inUse(socket, response) {
      silent.delete(socket);
      idle.delete(socket);
      response.once("close", () => {
        if (!socket.destroyed) idle.add(socket);
      });
    },
    get count() {
      return all.size;
    },
  };
}

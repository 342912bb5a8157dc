import { createServer, request as send } from "node:http";

/** A proxy in front of a service. */
export interface SigningProxy {
  readonly url: string;
  close(): Promise<void>;
}

/** Passes requests on with a token; hosts and origins that are not its own stay as they are. */
export async function startSigningProxy(target: string, token: string): Promise<SigningProxy> {
  const { hostname, port, host } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const own = incoming.headers.host === hostOf();
    const { origin } = incoming.headers;
    const headers = {
      ...incoming.headers,
      ...(own && { host }),
      ...(origin === `http://${hostOf()}` && { origin: target }),
      authorization: `Bearer ${token}`,
    };
    const passed = send(
      { hostname, port, path: incoming.url, method: incoming.method, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        outgoing.flushHeaders();
        answer.pipe(outgoing);
      },
    );
    passed.on("error", () => outgoing.destroy());
    outgoing.on("close", () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const hostOf = (): string => {
    const address = server.address();
    return `127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  };
  return {
    url: `http://${hostOf()}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

import { spawnSync } from "node:child_process";

/*
 * A network of this machine's own: each node in a network namespace, all on one bridge. A node that is cut off from the
 * others and from etcd may still be reached by the service, or be cut off from everything.
 */

const BRIDGE = "wfha-bridge";
const SERVICE = "10.91.0.1";
const ETCD = "10.91.0.2";

/** What a node can no longer reach. */
export type Cut = "other nodes and etcd" | "everything";

function ip(...words: readonly string[]): boolean {
  return spawnSync("ip", words).status === 0;
}

export class Network {
  readonly etcd = ETCD;
  readonly range = "10.91.0.0/24";
  readonly #names: readonly string[];

  private constructor(names: readonly string[]) {
    this.#names = names;
  }

  /** Null where this user may not make network namespaces. */
  static open(names: readonly string[]): Network | null {
    const network = new Network(names);
    network.close();
    const made =
      ip("link", "add", BRIDGE, "type", "bridge") &&
      ip("address", "add", `${SERVICE}/24`, "dev", BRIDGE) &&
      ip("address", "add", `${ETCD}/24`, "dev", BRIDGE) &&
      ip("link", "set", BRIDGE, "up") &&
      names.every((name) => network.#addNode(name));
    // Some machines filter what passes a bridge.
    if (made && names.every((name) => network.#reaches(name))) return network;
    network.close();
    return null;
  }

  address(name: string): string {
    return `10.91.0.${11 + this.#names.indexOf(name)}`;
  }

  /** A command that runs as another user in the namespace of a node. */
  command(name: string, user: { uid?: number; gid?: number }, command: string): readonly string[] {
    const as = [`--reuid=${user.uid ?? 0}`, `--regid=${user.gid ?? 0}`, "--clear-groups"];
    return ["ip", "netns", "exec", space(name), "setpriv", ...as, command];
  }

  cut(name: string, cut: Cut): void {
    if (cut === "everything") ip("link", "set", outside(name), "down");
    else for (const host of this.#others(name)) ip("-n", space(name), "route", "add", "blackhole", host);
  }

  heal(name: string): void {
    ip("link", "set", outside(name), "up");
    for (const host of this.#others(name)) ip("-n", space(name), "route", "del", "blackhole", host);
  }

  close(): void {
    for (const name of this.#names) ip("netns", "del", space(name));
    ip("link", "del", BRIDGE);
  }

  #others(name: string): readonly string[] {
    return [ETCD, ...this.#names.filter((other) => other !== name).map((other) => this.address(other))];
  }

  #addNode(name: string): boolean {
    return (
      ip("netns", "add", space(name)) &&
      ip("link", "add", outside(name), "type", "veth", "peer", "name", "eth0", "netns", space(name)) &&
      ip("link", "set", outside(name), "master", BRIDGE, "up") &&
      ip("-n", space(name), "address", "add", `${this.address(name)}/24`, "dev", "eth0") &&
      ip("-n", space(name), "link", "set", "eth0", "up") &&
      ip("-n", space(name), "link", "set", "lo", "up")
    );
  }

  #reaches(name: string): boolean {
    return this.#others(name).every(
      (host) => spawnSync("ip", ["netns", "exec", space(name), "ping", "-c1", "-W2", host]).status === 0,
    );
  }
}

function space(name: string): string {
  return `wfha-${name}`;
}

function outside(name: string): string {
  return `wfha-${name}`;
}

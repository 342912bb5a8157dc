import type { JsonObject } from "../../src/kernel/json.ts";
import type { HandoffPacket } from "../../src/handoffs/packet.ts";
import type { SiblingRoute } from "./http.ts";
import type { ResultStore } from "./store.ts";

/** What a sibling works with. */
export interface SiblingContext {
  /** Its own address, under which its results are. */
  readonly url: string;
  readonly results: ResultStore;
  /** Where the service and the other siblings are, as far as this process knows. */
  readonly peers: () => Readonly<Record<string, string>>;
}

/** What came of a packet: done with a reference, or taken and waiting for a person. */
export type WorkDone =
  | { readonly status: "completed"; readonly resultRef: string; readonly result: JsonObject }
  | { readonly status: "accepted" };

/** A reference sibling: its own routes and what it does with a packet. */
export interface SiblingDefinition {
  readonly name: string;
  /** Where it takes packets, if not at the usual path under its name. */
  readonly handoffPath?: string;
  routes(context: SiblingContext): readonly SiblingRoute[];
  /** Throws a Refusal when it cannot do what the packet asks. */
  work(packet: HandoffPacket, context: SiblingContext): Promise<WorkDone>;
  /** Ends what the sibling keeps open. */
  close?(): Promise<void>;
}

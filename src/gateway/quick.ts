import { isObject, type Json } from "../kernel/json.ts";
import type { Tool } from "../ports/operations.ts";
import type { Method } from "./method.ts";

/** Bytes of a body that is read before it is known whether its work has to wait. */
export const SMALL_BODY = 4_096;
/** Quick requests at work at once that may go ahead; further ones wait like all others. */
const MAX_AHEAD = 256;

/** Lets requests that only read what is at hand go ahead of work that waits. */
export interface QuickLane {
  /** True when this body is one request that answers from memory or with one record. */
  isQuick(body: Json): boolean;
  /** True when one more may go ahead; `leave` ends it. */
  enter(): boolean;
  leave(): void;
}

/** Quick are the methods that no caller's rights matter for, and the tools that say so. */
export function createQuickLane(
  methods: ReadonlyMap<string, Method>,
  tools: readonly Pick<Tool, "name" | "quick">[],
): QuickLane {
  const quickTools = new Set(tools.filter(({ quick }) => quick === true).map(({ name }) => name));
  let ahead = 0;
  return {
    isQuick(body) {
      if (!isObject(body) || typeof body["method"] !== "string") return false;
      if (methods.get(body["method"])?.kind === "open") return true;
      const { params } = body;
      if (body["method"] !== "tools/call" || !isObject(params)) return false;
      return typeof params["name"] === "string" && quickTools.has(params["name"]);
    },
    enter() {
      if (ahead >= MAX_AHEAD) return false;
      ahead += 1;
      return true;
    },
    leave() {
      ahead -= 1;
    },
  };
}

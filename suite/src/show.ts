import { Refusal, type SiblingRoute } from "./http.ts";
import type { SiblingContext } from "./sibling.ts";

/** The route that gives a stored result again, on its own or under a name. */
export function showRoute(
  context: SiblingContext,
  options: {
    /** The path before the id. */
    readonly path: string;
    /** What the ids begin with; other records of the same store are not shown here. */
    readonly prefix: string;
    /** False where the address itself is what gets confirmed: it opens for the person who was given it. */
    readonly isProtected: boolean;
    /** The name the result has in the answer; without one the result is the answer. */
    readonly as?: string;
  },
): SiblingRoute {
  return {
    method: "GET",
    path: `${options.path}/*`,
    isProtected: options.isProtected,
    async handle({ params: [id = ""] }) {
      const found = id.startsWith(`${options.prefix}_`) ? await context.results.get(id) : null;
      if (found === null) throw new Refusal(404, "not_found", `There is no ${options.prefix} of this id.`);
      return { data: options.as === undefined ? found : { [options.as]: found } };
    },
  };
}

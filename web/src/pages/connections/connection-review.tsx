import { Check } from "lucide-react";
import { useState } from "react";
import type { Definition } from "@workflow-ui/client";
import { changeConnection, useDefinition } from "../../api/connections.ts";
import { count } from "../../lib/format.ts";
import { Load } from "../../shell/states.tsx";
import { Badge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { ButtonFor } from "../../ui/button-for.tsx";
import { useAction } from "../../lib/use-action.ts";

/** Definitions that are shown at once; a large API can have hundreds that changed. */
const AT_ONCE = 30;

/** Definitions that are new or changed: what differs, and the decision. Nothing here can be called before. */
export function Review({
  connection,
  definitions,
}: {
  readonly connection: string;
  readonly definitions: readonly Definition[];
}) {
  const accept = useAction({
    title: "Accept definition",
    failed: "Not accepted",
    run: ({ name, pending }: Definition) =>
      changeConnection("accept_definition", { connection, definition: name, digest: pending?.digest }),
    done: (_, { name }) => `Accepted ${name}`,
  });
  const [most, setMost] = useState(AT_ONCE);
  const left = definitions.length - most;
  return (
    <>
      <ul className="divide-y divide-line">
        {definitions.slice(0, most).map((definition) => (
          <li key={definition.id} className="space-y-2 py-3 first:pt-0 last:pb-0">
            <div className="flex flex-wrap items-center gap-2">
              <span className="font-medium">{definition.title}</span>
              <span className="font-mono text-sm text-ink-3">{definition.name}</span>
              <Badge tone="warn">{reasonOf(definition)}</Badge>
              <ButtonFor
                op="accept_definition"
                size="sm"
                className="ml-auto"
                onClick={() => accept.mutate(definition)}
              >
                <Check /> Accept
              </ButtonFor>
            </div>
            <Differences connection={connection} definition={definition} />
          </li>
        ))}
      </ul>
      {left <= 0 ? null : (
        <p className="mt-3 flex flex-wrap items-center gap-2 text-sm text-ink-2">
          {count(left, "more definition")} to review.
          <Button size="sm" onClick={() => setMost(most + AT_ONCE)}>
            Show {Math.min(left, AT_ONCE)} more
          </Button>
        </p>
      )}
    </>
  );
}

/** The first changes, and all of them when they are asked for. */
function Differences({
  connection,
  definition,
}: {
  readonly connection: string;
  readonly definition: Definition;
}) {
  const [whole, setWhole] = useState(false);
  const more = definition.pending?.moreChanges ?? 0;
  if (whole) return <AllChanges connection={connection} definition={definition} />;
  return (
    <>
      <Changes definition={definition} />
      {more === 0 ? null : (
        <Button size="sm" onClick={() => setWhole(true)}>
          Show {count(more, "more change")}
        </Button>
      )}
    </>
  );
}

function AllChanges({
  connection,
  definition,
}: {
  readonly connection: string;
  readonly definition: Definition;
}) {
  const query = useDefinition(connection, definition.name);
  return <Load query={query}>{(whole) => <Changes definition={whole} />}</Load>;
}

function reasonOf({ pending }: Definition): string {
  if (pending?.reason === "renamed") return `renamed from ${pending.renamedFrom ?? ""}`;
  return pending?.reason === "changed" ? "changed at the server" : "new";
}

function Changes({ definition: { pending, description } }: { readonly definition: Definition }) {
  if (pending === undefined || pending.changes.length === 0)
    return <p className="text-sm break-words text-ink-2">{description}</p>;
  return (
    <div
      className="overflow-x-auto rounded-lg border border-line"
      tabIndex={0}
      role="group"
      aria-label="Changes"
    >
      <table className="w-full text-left text-sm">
        <thead className="bg-sunken text-ink-2">
          <tr>
            <th scope="col" className="px-3 py-1.5 font-medium">
              Where
            </th>
            <th scope="col" className="px-3 py-1.5 font-medium">
              Accepted
            </th>
            <th scope="col" className="px-3 py-1.5 font-medium">
              Now
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {pending.changes.map((change) => (
            <tr key={change.pointer}>
              <td className="min-w-48 px-3 py-1.5 align-top font-mono break-all">{change.pointer}</td>
              <td className="max-w-80 min-w-24 px-3 py-1.5 align-top break-words text-bad">
                {shown(change.before)}
              </td>
              <td className="max-w-80 min-w-48 px-3 py-1.5 align-top break-words text-good">
                {shown(change.after)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  return typeof value === "string" ? value : JSON.stringify(value);
}

import { Check } from "lucide-react";
import { changeConnection, connectionPath, type Definition } from "../api/connections.ts";
import { toast } from "../shell/notices.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";

/** Definitions that are new or changed: what differs, and the decision. Nothing here can be called before. */
export function Review({
  connection,
  definitions,
}: {
  readonly connection: string;
  readonly definitions: readonly Definition[];
}) {
  const accept = (definition: Definition) =>
    void changeConnection(
      connectionPath(connection, "definitions", definition.name, "accept"),
      "POST",
      definition.pending === null ? {} : { digest: definition.pending.digest },
    ).then(
      () => toast("good", `Accepted ${definition.name}`),
      (error: unknown) => toast("bad", "Not done", error instanceof Error ? error.message : ""),
    );
  return (
    <ul className="divide-y divide-line">
      {definitions.map((definition) => (
        <li key={definition.id} className="space-y-2 py-3 first:pt-0 last:pb-0">
          <div className="flex flex-wrap items-center gap-2">
            <span className="font-medium">{definition.title}</span>
            <span className="font-mono text-sm text-ink-3">{definition.name}</span>
            <Badge tone="warn">{reasonOf(definition)}</Badge>
            <Button size="sm" className="ml-auto" onClick={() => accept(definition)}>
              <Check /> Accept
            </Button>
          </div>
          <Changes definition={definition} />
        </li>
      ))}
    </ul>
  );
}

function reasonOf({ pending }: Definition): string {
  if (pending?.reason === "renamed") return `renamed from ${pending.renamedFrom}`;
  return pending?.reason === "changed" ? "changed at the server" : "new";
}

function Changes({ definition: { pending, description } }: { readonly definition: Definition }) {
  if (pending === null || pending.changes.length === 0)
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

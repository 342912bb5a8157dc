import { parseExact, stringifyExact, type FormValue } from "@workflow-ui/forms";
import { useQuery } from "@tanstack/react-query";
import { History, Trash2 } from "lucide-react";
import { queryClient } from "../../api/operations.ts";
import { ago, duration } from "../../lib/format.ts";
import { allLocal, dropLocal, putLocal } from "../../lib/idb.ts";
import { Badge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { Button, IconButton } from "@workflow-ui/forms-react/ui/button.tsx";
import { Empty } from "../../ui/page.tsx";

/** Keeps a call on this device, its arguments without secrets. Nothing happens when storage is forbidden. */
export function remember(
  tool: string,
  args: FormValue | undefined,
  ok: boolean,
  ms: number,
  note: string,
): void {
  const at = new Date().toISOString();
  const record = { id: `${at}-${tool}`, tool, at, ok, ms, note, args: stringifyExact(args ?? {}) };
  void putLocal("history", record)
    .then(() => queryClient.invalidateQueries({ queryKey: ["history"] }))
    .catch(() => undefined);
}

/** The calls of one tool that were made on this device. */
export function ToolHistory({
  tool,
  onUse,
}: {
  readonly tool: string;
  readonly onUse: (args: FormValue) => void;
}) {
  const history = useQuery({
    queryKey: ["history", tool],
    queryFn: async () =>
      (await allLocal("history"))
        .filter((record) => record.tool === tool)
        .toSorted((a, b) => b.at.localeCompare(a.at))
        .slice(0, 50),
  });
  const records = history.data ?? [];
  if (records.length === 0) {
    return (
      <Empty icon={<History />} title="No calls yet">
        Calls of this tool are kept on this device only, without secrets and without results.
      </Empty>
    );
  }
  return (
    <ul className="divide-y divide-line rounded-xl border border-line">
      {records.map((record) => (
        <li key={record.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
          <Badge tone={record.ok ? "good" : "warn"} dot>
            {record.ok ? "done" : "not done"}
          </Badge>
          <span className="min-w-0 flex-1 basis-56 truncate font-mono text-sm">{record.args}</span>
          <span className="text-sm text-ink-3">
            {duration(record.ms)} · {ago(record.at)}
          </span>
          <Button size="sm" onClick={() => onUse(parseExact(record.args))}>
            Use again
          </Button>
          <IconButton
            label="Forget this call"
            onClick={() => void dropLocal("history", record.id).then(() => history.refetch())}
          >
            <Trash2 />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}

import type { Guard } from "@workflow-ui/client";
import { useId, type ReactNode } from "react";
import { call, refreshOperation } from "../../api/operations.ts";
import { useConnections } from "../../api/connections.ts";
import { useCallerNames } from "../../api/names.ts";
import { fullTime } from "../../lib/format.ts";
import { useSubmit } from "../../lib/use-submit.ts";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { ErrorText } from "../../ui/error-text.tsx";
import { Panel } from "../../ui/page.tsx";
import { InputField } from "../../ui/fields.tsx";
import { useGuardChange } from "./guard-rules.tsx";

/** Stops, limits, agents and the bypass. */
export function GuardControls({ guard }: { readonly guard: Guard }) {
  const names = useId();
  const connections = useConnections().data?.connections ?? [];
  const nameOf = useCallerNames();
  const change = useGuardChange(guard);
  const { stopped, agents, trusted, limits } = guard;
  const known = [...connections.map(({ name }) => name), ...agents];
  const label = (id: string): string => nameOf(id) || id;
  const without = (list: readonly string[], id: string): string[] => list.filter((one) => one !== id);
  const add = useSubmit(async ({ name = "" }, form) => {
    await change.mutateAsync({ stopped: [...without(stopped, name), name] });
    form.reset();
  });
  const addLimit = useSubmit(async ({ caller = "", tool = "", perMinute = "", perDay = "" }, form) => {
    const limit = {
      ...(caller !== "" && { caller }),
      ...(tool !== "" && { tool }),
      ...(perMinute !== "" && { perMinute: Number(perMinute) }),
      ...(perDay !== "" && { perDay: Number(perDay) }),
    };
    await change.mutateAsync({ limits: [...limits, limit] });
    form.reset();
  });
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <datalist id={names}>
        {known.map((name) => (
          <option key={name} value={name}>
            {label(name)}
          </option>
        ))}
      </datalist>
      <Panel title="Stopped" flush>
        <Rows
          none="Nothing is stopped."
          rows={stopped.map((id) => ({
            id,
            text: label(id),
            action: "Resume",
            run: () => change.mutate({ stopped: without(stopped, id) }),
          }))}
        />
        <form onSubmit={add.onSubmit} className="flex flex-wrap items-end gap-3 border-t border-line p-4">
          <div className="min-w-0 flex-1 basis-52">
            <InputField
              label="Connection or caller"
              name="name"
              list={names}
              autoComplete="off"
              required
              hint="The name of a connection, or the id of a key, a token or a client."
              problem={add.error === "" ? undefined : add.error}
            />
          </div>
          <Button type="submit" look="danger" busy={add.busy}>
            Stop its calls
          </Button>
        </form>
      </Panel>
      <BypassPanel guard={guard} names={names} />
      <Panel title="Limits" flush>
        <Rows
          none="Calls are not limited by the guard."
          rows={limits.map(({ caller, tool, perMinute, perDay }, at) => ({
            id: `${at}`,
            text: `${caller === undefined ? "Every caller" : label(caller)}, ${tool ?? "every tool"}: ${[
              perMinute === undefined ? "" : `${perMinute} a minute`,
              perDay === undefined ? "" : `${perDay} a day`,
            ]
              .filter((part) => part !== "")
              .join(", ")}`,
            action: "Remove",
            run: () => change.mutate({ limits: limits.filter((_, other) => other !== at) }),
          }))}
        />
        <form onSubmit={addLimit.onSubmit} className="grid gap-3 border-t border-line p-4 sm:grid-cols-2">
          <InputField
            label="Caller"
            name="caller"
            list={names}
            autoComplete="off"
            placeholder="every caller"
          />
          <InputField label="Tool" name="tool" autoComplete="off" placeholder="every tool" />
          <InputField label="Calls a minute" name="perMinute" type="number" min={1} />
          <InputField label="Calls a day" name="perDay" type="number" min={1} />
          <p className="text-sm text-ink-2 sm:col-span-2">
            Counted for each caller and tool. Reads do not count.
          </p>
          <ErrorText text={addLimit.error} className="text-sm text-bad sm:col-span-2" />
          <Button type="submit" busy={addLimit.busy} className="justify-self-start">
            Add limit
          </Button>
        </form>
      </Panel>
      <Panel title="Agents" flush>
        <Rows
          none="No key is an agent's yet. Every OAuth client is one."
          rows={agents.map((id) => ({
            id,
            text: label(id),
            action: "Not an agent",
            run: () => change.mutate({ agents: without(agents, id), trusted: [...without(trusted, id), id] }),
          }))}
        />
        <p className="border-t border-line p-4 text-sm text-ink-2">
          A key that changes something at /mcp is added by itself, unless it was marked as not an agent.
        </p>
      </Panel>
    </div>
  );
}

function Rows({
  rows,
  none,
}: {
  readonly rows: readonly {
    readonly id: string;
    readonly text: ReactNode;
    readonly action: string;
    readonly run: () => void;
  }[];
  readonly none: string;
}) {
  if (rows.length === 0) return <p className="p-4 text-ink-2">{none}</p>;
  return (
    <ul className="divide-y divide-line">
      {rows.map(({ id, text, action, run }) => (
        <li key={id} className="flex flex-wrap items-center gap-3 px-4 py-2">
          <span className="min-w-0 flex-1 basis-40 break-all">{text}</span>
          <Button size="sm" aria-label={`${action}: ${id}`} onClick={run}>
            {action}
          </Button>
        </li>
      ))}
    </ul>
  );
}

/** A time in which nothing is asked, with its reason. */
function BypassPanel({ guard: { bypass }, names }: { readonly guard: Guard; readonly names: string }) {
  const isOn = bypass !== null && Date.parse(bypass.until) > Date.now();
  const form = useSubmit(async ({ minutes = "", reason = "", caller = "" }) => {
    const given = { minutes: Number(minutes), reason, ...(caller !== "" && { caller }) };
    await call("bypass_guard", given);
    await refreshOperation("get_guard");
  });
  return (
    <Panel title="Bypass">
      <form onSubmit={form.onSubmit} className="space-y-3">
        <p className="text-ink-2">
          {isOn
            ? `Nothing is asked until ${fullTime(bypass.until)}: ${bypass.reason}`
            : "For a while, calls that would be asked about are made. Each one is recorded; refusals, limits and stops still hold."}
        </p>
        {isOn ? (
          <input type="hidden" name="minutes" value="0" />
        ) : (
          <>
            <InputField
              label="Minutes"
              {...form.field("minutes")}
              type="number"
              min={1}
              max={480}
              defaultValue={30}
              required
            />
            <InputField
              label="Only for the caller"
              name="caller"
              list={names}
              autoComplete="off"
              placeholder="every caller"
            />
          </>
        )}
        <InputField label="Reason, for the record" {...form.field("reason")} required maxLength={1_000} />
        <ErrorText text={form.error} className="text-sm text-bad" />
        <Button type="submit" look={isOn ? "primary" : "danger"} busy={form.busy}>
          {isOn ? "End the bypass" : "Start the bypass"}
        </Button>
      </form>
    </Panel>
  );
}

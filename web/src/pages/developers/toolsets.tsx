import { useMutation } from "@tanstack/react-query";
import { useId } from "react";
import type { Toolset } from "@workflow-ui/client";
import { call, refreshOperation, useOperation } from "../../api/operations.ts";
import { count } from "../../lib/format.ts";
import { useSubmit } from "../../lib/use-submit.ts";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { Load, OnlyFor } from "../../shell/states.tsx";
import { ButtonFor, For } from "../../ui/button-for.tsx";
import { ErrorText } from "../../ui/error-text.tsx";
import { Panel } from "../../ui/page.tsx";
import { TextField } from "../../ui/text-field.tsx";

/** Chosen tools at MCP endpoints of their own, and the form for another one. */
export function Toolsets() {
  return (
    <OnlyFor op="list_toolsets">
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <List />
        <For op="create_toolset">
          <NewToolset />
        </For>
      </div>
    </OnlyFor>
  );
}

function List() {
  const answer = useOperation("list_toolsets", {});
  return (
    <Panel title="Toolsets" flush>
      <Load query={answer}>
        {({ toolsets }) =>
          toolsets.length === 0 ? (
            <p className="p-4 text-ink-2">
              None yet. An agent connects to the address of a toolset instead of /mcp.
            </p>
          ) : (
            <ul className="divide-y divide-line">
              {toolsets.map((toolset) => (
                <Row key={toolset.name} toolset={toolset} />
              ))}
            </ul>
          )
        }
      </Load>
    </Panel>
  );
}

function Row({ toolset }: { readonly toolset: Toolset }) {
  const remove = useMutation({
    mutationFn: () => call("remove_toolset", { name: toolset.name }),
    onSettled: () => refreshOperation("list_toolsets"),
  });
  return (
    <li className="flex flex-wrap items-start gap-3 px-4 py-3">
      <div className="min-w-0 flex-1 basis-52">
        <p className="font-medium">{toolset.title}</p>
        <p className="font-mono text-sm break-all text-ink-2">{toolset.address}</p>
        {toolset.description === "" ? null : <p className="text-sm text-ink-2">{toolset.description}</p>}
        {toolset.tools.length === 0 ? null : (
          <details className="mt-1 text-sm">
            <summary>{count(toolset.tools.length, "tool")}</summary>
            <ul className="font-mono text-ink-2">
              {toolset.tools.map((tool) => (
                <li key={tool}>{tool}</li>
              ))}
            </ul>
          </details>
        )}
      </div>
      <ButtonFor
        op="remove_toolset"
        size="sm"
        look="danger"
        aria-label={`Remove ${toolset.title}`}
        onClick={() => remove.mutate()}
      >
        Remove
      </ButtonFor>
      <ErrorText text={remove.error?.message} className="w-full text-sm text-bad" />
    </li>
  );
}

function NewToolset() {
  const id = useId();
  const form = useSubmit(async ({ name = "", title = "", description = "", tools = "" }, element) => {
    const chosen = tools.split(/\s/).filter((tool) => tool !== "");
    await call("create_toolset", { name, title, description, tools: chosen }, { interactive: false });
    element.reset();
    await refreshOperation("list_toolsets");
  });
  return (
    <Panel title="New toolset">
      <form onSubmit={form.onSubmit} className="space-y-3">
        <TextField label="Name" name="name" required placeholder="sales" />
        <TextField label="Title" name="title" required placeholder="Sales" />
        <TextField label="Description" name="description" />
        <div>
          <label htmlFor={id} className="mb-1 block font-medium">
            Tools, one a line
          </label>
          <textarea
            id={id}
            name="tools"
            rows={5}
            required
            className="field-control font-mono"
            placeholder={"get_health\nshop:listOrders\nwf_…"}
          />
          <p className="mt-1 text-sm text-ink-2">
            Names of tools, connection:operation, or ids of published workflows. A caller sees those that it
            may use.
          </p>
        </div>
        <ErrorText text={form.error === "" ? undefined : form.error} className="text-sm text-bad" />
        <Button type="submit" look="primary" busy={form.busy}>
          Create toolset
        </Button>
      </form>
    </Panel>
  );
}

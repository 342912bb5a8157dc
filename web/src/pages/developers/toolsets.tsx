import { useMutation } from "@tanstack/react-query";
import { Copy, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Toolset } from "@workflow-ui/client";
import { call, refreshOperation, useOperation } from "../../api/operations.ts";
import { copyText } from "../../lib/clipboard.ts";
import { count } from "../../lib/format.ts";
import { useSubmit } from "../../lib/use-submit.ts";
import { Load, OnlyFor } from "../../shell/states.tsx";
import { Button, IconButton } from "@workflow-ui/forms-react/ui/button.tsx";
import { For } from "../../ui/button-for.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorText } from "../../ui/error-text.tsx";
import { Panel } from "../../ui/page.tsx";
import { InputField, TextareaField } from "../../ui/fields.tsx";

/** Chosen tools at MCP endpoints of their own, and the form for another one. */
export function Toolsets() {
  return (
    <OnlyFor op="list_toolsets">
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <List />
        <For op="create_toolset">
          <Panel title="New toolset">
            <ToolsetForm />
          </Panel>
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
  const { name, title, description, address, tools } = toolset;
  const [open, setOpen] = useState<"change" | "remove" | null>(null);
  const close = () => setOpen(null);
  const remove = useMutation({
    mutationFn: () => call("remove_toolset", { name }),
    onSuccess: () => refreshOperation("list_toolsets"),
  });
  return (
    <li className="px-4 py-3">
      <div className="flex flex-wrap items-start gap-x-3">
        <div className="min-w-0 flex-1 basis-52">
          <p className="font-medium break-words">{title}</p>
          {description === "" ? null : <p className="text-sm break-words text-ink-2">{description}</p>}
        </div>
        <div className="flex gap-1">
          <IconButton label={`Change ${title}`} onClick={() => setOpen("change")}>
            <Pencil />
          </IconButton>
          <IconButton label={`Remove ${title}`} onClick={() => setOpen("remove")}>
            <Trash2 />
          </IconButton>
        </div>
      </div>
      <p className="flex items-center gap-1">
        <code className="text-sm break-all text-ink-2">{address}</code>
        <IconButton
          label={`Copy the address of ${title}`}
          onClick={() => void copyText(address, "Address copied")}
        >
          <Copy />
        </IconButton>
      </p>
      <details className="text-sm">
        <summary className="min-h-6 cursor-pointer">{count(tools.length, "tool")}</summary>
        <ul className="pl-4 font-mono text-ink-2">
          {tools.map((tool) => (
            <li key={tool} className="break-all">
              {tool}
            </li>
          ))}
        </ul>
      </details>
      <Dialog open={open === "change"} title={`Change ${title}`} onClose={close}>
        <ToolsetForm toolset={toolset} onSaved={close} />
      </Dialog>
      <Dialog
        open={open === "remove"}
        title={`Remove ${title}?`}
        description="Its address then answers that there is no such toolset. The tools stay."
        onClose={close}
        footer={
          <Button look="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
            Remove toolset
          </Button>
        }
      >
        <p className="font-mono text-sm break-all text-ink-2">{address}</p>
        <ErrorText text={remove.error?.message} />
      </Dialog>
    </li>
  );
}

/** The form of a new toolset, or of one that is changed. */
function ToolsetForm({ toolset, onSaved }: { readonly toolset?: Toolset; readonly onSaved?: () => void }) {
  const form = useSubmit(async ({ name = "", title = "", description = "", tools = "" }, element) => {
    const set = { title, description, tools: tools.split(/\s/).filter((tool) => tool !== "") };
    await (toolset === undefined
      ? call("create_toolset", { name, ...set }, { interactive: false })
      : call("change_toolset", { name: toolset.name, ...set }, { interactive: false }));
    element.reset();
    await refreshOperation("list_toolsets");
    onSaved?.();
  });
  return (
    <form onSubmit={form.onSubmit} className="space-y-3">
      {toolset === undefined ? (
        <InputField
          label="Name"
          {...form.field("name")}
          required
          placeholder="sales"
          hint="Lower-case letters, digits and hyphens; its address ends with it."
        />
      ) : null}
      <InputField
        label="Title"
        {...form.field("title")}
        required
        placeholder="Sales"
        defaultValue={toolset?.title}
      />
      <InputField label="Description" {...form.field("description")} defaultValue={toolset?.description} />
      <TextareaField
        label="Tools, one a line"
        {...form.field("tools")}
        rows={6}
        required
        spellCheck={false}
        look="font-mono"
        placeholder={"get_health\nshop:listOrders\nworkflow_…"}
        defaultValue={toolset?.tools.join("\n")}
        hint="Names of tools, connection:operation, or ids of published workflows. A caller sees those that it may use."
      />
      <ErrorText text={form.error} />
      <Button type="submit" look="primary" busy={form.busy}>
        {toolset === undefined ? "Create toolset" : "Save toolset"}
      </Button>
    </form>
  );
}

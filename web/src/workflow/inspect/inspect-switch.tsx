import { ArrowUp, Plus, Trash2 } from "lucide-react";
import { Button, IconButton } from "@workflow-ui/forms-react/ui/button.tsx";
import { ConditionField } from "./condition-field.tsx";
import type { StepProps } from "./inspector.tsx";

/** Paths, each with a condition. The first that holds is taken; none means “otherwise”. */
export function SwitchFields({ node, pointer, onChange, edges, onEnd }: StepProps) {
  const { cases = [] } = node;
  const write = (next: typeof cases) => onChange({ ...node, cases: next });
  const set = (index: number, change: Partial<(typeof cases)[number]>) =>
    write(cases.map((item, at) => (at === index ? { ...item, ...change } : item)));
  const open = !edges.some((edge) => edge.from === node.id && edge.port === "default");
  return (
    <div className="space-y-4">
      <p className="text-sm text-ink-2">
        The first path whose condition holds is taken; when none holds, “otherwise”.
      </p>
      {cases.map((item, index) => {
        const { name } = item;
        return (
          <div
            key={index}
            role="group"
            aria-label={`Path ${index + 1}`}
            className="rounded-lg border border-line p-3"
          >
            <div className="mb-2 flex items-center gap-2">
              <label className="flex min-w-0 flex-1 items-center gap-2 text-sm">
                Path
                <input
                  value={name}
                  onChange={(event) =>
                    set(index, { name: event.target.value.replaceAll(/[^A-Za-z0-9_-]/g, "_") })
                  }
                  className="field-control min-h-7! py-0! text-sm"
                />
              </label>
              <IconButton
                label={`Move path ${name} up`}
                disabled={index === 0}
                onClick={() => {
                  const next = [...cases];
                  const [taken] = next.splice(index, 1);
                  if (taken !== undefined) next.splice(index - 1, 0, taken);
                  write(next);
                }}
              >
                <ArrowUp />
              </IconButton>
              <IconButton
                label={`Remove path ${name}`}
                disabled={cases.length === 1}
                onClick={() => write(cases.filter((_, at) => at !== index))}
              >
                <Trash2 />
              </IconButton>
            </div>
            <ConditionField
              label={`When is “${name}” taken?`}
              value={item.when}
              pointer={`${pointer}/cases/${index}`}
              onChange={(when) => set(index, { when })}
            />
          </div>
        );
      })}
      <Button size="sm" onClick={() => write([...cases, { name: freeName(cases), when: "" }])}>
        <Plus /> Add a path
      </Button>
      {open ? (
        <div className="rounded-lg border border-line p-3">
          <p className="mb-2 text-sm">
            “Otherwise” leads nowhere yet. Connect it with a step, or let the path end.
          </p>
          <Button size="sm" onClick={() => onEnd("default")}>
            End the path here
          </Button>
        </div>
      ) : null}
    </div>
  );
}

function freeName(cases: readonly { readonly name: string }[]): string {
  for (let n = cases.length + 1; ; n++)
    if (!cases.some((item) => item.name === `path${n}`)) return `path${n}`;
}

import { childPointer, type Field, type HintSection } from "@workflow-ui/forms";
import { useId, useState, type ReactNode } from "react";
import { LongText } from "./ui/long-text.tsx";
import { Blocks } from "./blocks.tsx";
import { useHint, useWithin } from "./context.ts";
import { FieldView } from "./field-view.tsx";
import { richText } from "./rich-text.tsx";

interface Props {
  readonly field: Field;
  readonly pointer: string;
  readonly depth: number;
}

/** Up to here fields stand in columns; more are drawn in blocks below one another. */
const MOST_IN_COLUMNS = 200;

/** The members of an object, in the sections and columns that its hints ask for. */
export function Members({ field, pointer, depth }: Props) {
  const { children = [], ui } = field;
  const list = (fields: readonly Field[], columns: number | undefined) => (
    <Fields fields={fields} columns={columns} pointer={pointer} depth={depth} />
  );
  if (ui?.sections === undefined) return list(children, ui?.columns);
  const named = new Set(ui.sections.flatMap(({ fields }) => fields));
  return (
    <>
      {ui.sections.map((section, index) => {
        const fields = section.fields.flatMap((name) => children.find((child) => child.name === name) ?? []);
        // An object in a section of its own name says it once.
        const isNamed = fields.length === 1 && fields[0]?.label === section.title;
        return (
          // oxlint-disable-next-line react/no-array-index-key -- sections have no other name, and never move
          <Part key={index} section={section} pointer={pointer} isNamed={isNamed}>
            {list(fields, section.columns ?? ui.columns)}
          </Part>
        );
      })}
      {list(
        children.filter(({ name }) => !named.has(name)),
        ui.columns,
      )}
    </>
  );
}

interface FieldsProps {
  readonly fields: readonly Field[];
  readonly columns: number | undefined;
  readonly pointer: string;
  readonly depth: number;
}

function Fields({ fields, columns = 1, pointer, depth }: FieldsProps) {
  const draw = (child: Field) => (
    <FieldView key={child.name} field={child} pointer={childPointer(pointer, child.name)} depth={depth + 1} />
  );
  if (columns === 1 || fields.length > MOST_IN_COLUMNS)
    return (
      <Blocks
        items={fields}
        keyOf={(child) => child.name}
        pointerOf={(child) => childPointer(pointer, child.name)}
        render={draw}
      />
    );
  return (
    <div className="@container">
      <div className="form-columns" style={{ [COLUMNS]: columns }}>
        {fields.map((child) => (
          <div key={child.name} style={{ [SPAN]: Math.min(child.ui?.span ?? 1, columns) }}>
            {draw(child)}
          </div>
        ))}
      </div>
    </div>
  );
}

/** Custom properties, which the style sheet reads where there is room for columns. */
const COLUMNS: string = "--columns";
const SPAN: string = "--span";

interface PartProps {
  readonly section: HintSection;
  readonly pointer: string;
  /** Its only field has the section's title. */
  readonly isNamed: boolean;
  readonly children: ReactNode;
}

/** One section. Its fields have its condition too; while it does not hold, only what has a value is left of them. */
function Part({ section, pointer, isNamed, children }: PartProps) {
  const { help, collapsed = false, visible } = section;
  const title = isNamed && !collapsed ? undefined : section.title;
  const id = useId();
  const isShown = useHint(visible, pointer);
  const isWanted = useWithin(section.fields.map((name) => childPointer(pointer, name)));
  const [isOpen, setOpen] = useState(!collapsed);
  const body = (
    <div className="space-y-4">
      {help === undefined ? null : <LongText text={help} draw={richText} className="text-sm text-ink-2" />}
      {children}
    </div>
  );
  if (!isShown || (title === undefined && help === undefined)) return children;
  if (title === undefined) return body;
  const name = <bdi>{title}</bdi>;
  if (collapsed)
    return (
      <details open={isOpen || isWanted} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="mb-2 cursor-pointer text-lg font-semibold">{name}</summary>
        {body}
      </details>
    );
  return (
    <div role="group" aria-labelledby={id} className="pt-1">
      <p id={id} className="mb-2 border-b border-line pb-1 text-lg font-semibold">
        {name}
      </p>
      {body}
    </div>
  );
}

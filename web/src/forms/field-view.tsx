import type { Field, Widget } from "#forms/index.ts";
import { memo, type ComponentType } from "react";
import { Button } from "../ui/button.tsx";
import { Absent, GroupWidget } from "./containers.tsx";
import { useForm, useSelect, useStanding } from "./context.ts";
import { ListWidget } from "./list.tsx";
import { initialOf } from "./logic.ts";
import { VariantsWidget } from "./variants.tsx";
import { CheckboxWidget, MultiselectWidget, SelectWidget } from "./widgets/choice.tsx";
import { DateTimeWidget, DateWidget, TimeWidget } from "./widgets/dates.tsx";
import { FileWidget } from "./widgets/file.tsx";
import { ConstantWidget, IsNull, NeverWidget, NullWidget } from "./widgets/fixed.tsx";
import { JsonWidget } from "./widgets/json.tsx";
import { NumberWidget } from "./widgets/number.tsx";
import { ColorWidget, MultilineWidget, PasswordWidget, TextWidget } from "./widgets/text.tsx";
import type { WidgetProps } from "./widgets/types.ts";

const LEAVES: Partial<Record<Widget, ComponentType<WidgetProps>>> = {
  text: TextWidget,
  multiline: MultilineWidget,
  password: PasswordWidget,
  email: TextWidget,
  url: TextWidget,
  uuid: TextWidget,
  hostname: TextWidget,
  ipv4: TextWidget,
  ipv6: TextWidget,
  regex: TextWidget,
  "json-pointer": TextWidget,
  date: DateWidget,
  time: TimeWidget,
  datetime: DateTimeWidget,
  duration: TextWidget,
  color: ColorWidget,
  file: FileWidget,
  combobox: TextWidget,
  number: NumberWidget,
  integer: NumberWidget,
  "big-integer": NumberWidget,
  checkbox: CheckboxWidget,
  select: SelectWidget,
  multiselect: MultiselectWidget,
  constant: ConstantWidget,
  null: NullWidget,
  json: JsonWidget,
  never: NeverWidget,
};
const NESTED: Partial<Record<Widget, ComponentType<WidgetProps & { readonly depth: number }>>> = {
  group: GroupWidget,
  map: GroupWidget,
  list: ListWidget,
  tuple: ListWidget,
  variants: VariantsWidget,
};

interface Props {
  readonly field: Field;
  readonly pointer: string;
  readonly depth: number;
  readonly bare?: boolean;
}

/** Draws one field with the widget it asks for, as it stands with the data it depends on. */
export const FieldView = memo(function FieldView({ field: declared, pointer, depth, bare = false }: Props) {
  const { store, document } = useForm();
  const { field, required, applies } = useStanding(declared, pointer);
  const state = useSelect(pointer, (value) =>
    value === undefined ? "absent" : value === null ? "null" : "present",
  );
  if (!applies)
    return state === "absent" ? null : (
      <Leftover field={field} pointer={pointer} text={declared.condition?.text ?? ""} />
    );
  const props = { field, pointer, required, bare };
  if (
    state === "null" &&
    field.nullable &&
    field.widget !== "null" &&
    field.widget !== "variants" &&
    field.widget !== "json"
  ) {
    return (
      <IsNull
        {...props}
        onValue={() => store.set(pointer, initialOf(document, { ...field, nullable: false }))}
      />
    );
  }
  const Nested = NESTED[field.widget];
  if (Nested !== undefined) {
    const waits =
      state === "absent" &&
      pointer !== "" &&
      (!required || declared.widget === "reference") &&
      field.widget !== "variants";
    return waits ? <Absent {...props} /> : <Nested {...props} depth={depth} />;
  }
  const Leaf = LEAVES[field.widget] ?? JsonWidget;
  return <Leaf {...props} />;
});

/** A value for a field that does not apply now: shown, so that nothing is sent unseen. */
function Leftover({
  field,
  pointer,
  text,
}: {
  readonly field: Field;
  readonly pointer: string;
  readonly text: string;
}) {
  const { store } = useForm();
  return (
    <div
      data-pointer={pointer}
      className="flex flex-wrap items-center gap-2 rounded-lg bg-warn-soft px-3 py-1.5 text-sm text-warn"
    >
      <span className="flex-1">
        {field.label} has a value but applies only {text === "" ? "under another condition" : `when ${text}`}.
      </span>
      <Button size="sm" onClick={() => store.set(pointer, undefined)}>
        Remove it
      </Button>
    </div>
  );
}

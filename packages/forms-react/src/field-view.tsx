import {
  pickVariant,
  type Field,
  type FormDocument,
  type FormValue,
  type RawReason,
  type Widget,
  isOfType,
  sameJson,
  initialOf,
} from "@workflow-ui/forms";
import { memo, type ComponentType, type ReactNode } from "react";
import { Button } from "./ui/button.tsx";
import { Absent, GroupWidget } from "./containers.tsx";
import { useFormScope, useProblems, useSelect, useResolvedField } from "./context.ts";
import { useSettings } from "./settings.ts";
import { ListWidget } from "./list.tsx";
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
  const { document } = useFormScope();
  const { field, required, applies, enabled } = useResolvedField(declared, pointer);
  const state = useSelect(pointer, (value) => stateOf(document, field, value));
  const props = { field, pointer, required, bare, depth };
  const widget = <Drawn {...props} state={state} reference={declared.widget === "reference"} />;
  const drawn = enabled ? (
    widget
  ) : (
    <fieldset disabled className="contents">
      {widget}
    </fieldset>
  );
  if (field.ui?.hidden === true || (!applies && state === "absent"))
    return <WhenWrong pointer={pointer}>{drawn}</WhenWrong>;
  const text = declared.condition?.text ?? field.ui?.visible?.text ?? "";
  return applies ? drawn : <Leftover {...props} text={text} drawn={drawn} />;
});

/** What a hint hides is drawn all the same while something is wrong with it, so that it can be fixed. */
function WhenWrong({ pointer, children }: { readonly pointer: string; readonly children: ReactNode }) {
  return useProblems(pointer).length === 0 ? null : children;
}

interface DrawnProps extends WidgetProps {
  readonly depth: number;
  readonly state: State;
  readonly reference: boolean;
}

function Drawn({ state, reference, depth, ...props }: DrawnProps) {
  const settings = useSettings();
  const { store, document } = useFormScope();
  const { field, pointer, required } = props;
  if (state === "null" && field.nullable && !["null", "variants", "json"].includes(field.widget)) {
    return (
      <IsNull
        {...props}
        onValue={() => store.set(pointer, initialOf(document, { ...field, nullable: false }))}
      />
    );
  }
  if (state === "misfit") return <JsonWidget {...props} field={{ ...field, raw: MISFIT }} />;
  if (reference && field.widget === "variants" && depth > CHOICES_DRAWN)
    return <JsonWidget {...props} field={{ ...field, raw: TOO_DEEP }} />;
  const widgets = settings.widgets ?? {};
  // Names come from the schema: only what the page itself put there counts.
  const name = [field.ui?.widget ?? "", field.widget].find((each) => Object.hasOwn(widgets, each));
  const CustomWidget = name === undefined ? undefined : widgets[name];
  if (CustomWidget !== undefined) return <CustomWidget {...props} />;
  const Nested = NESTED[field.widget];
  if (Nested !== undefined) {
    // What is required is drawn at once, unless it is so deep that it may lead back to itself.
    const isDeep = depth > (reference ? REFERENCES_DRAWN : PARTS_DRAWN);
    const waits =
      state === "absent" && pointer !== "" && (!required || isDeep) && field.widget !== "variants";
    return waits ? <Absent {...props} /> : <Nested {...props} depth={depth} />;
  }
  const Leaf = LEAVES[field.widget] ?? JsonWidget;
  return <Leaf {...props} />;
}

/** Levels down to which a required definition is drawn although nothing is in it yet. */
const REFERENCES_DRAWN = 3;
/** The same for a required part that is no definition. */
const PARTS_DRAWN = 5;

/** Levels down to which a choice by reference is drawn: alternatives that lead back to themselves have no end. */
const CHOICES_DRAWN = 24;

const TOO_DEEP: RawReason = {
  code: "too_deep",
  reason: "This part is nested too deeply for a form.",
};

type State = "absent" | "null" | "misfit" | "present";

const MISFIT: RawReason = {
  code: "contradiction",
  reason: "The field cannot hold the value here, so it is shown as JSON.",
};

/** Whether there is a value, and whether the widget can hold it. */
function stateOf(form: FormDocument, field: Field, value: FormValue | undefined): State {
  if (value === undefined) return "absent";
  if (value === null)
    return field.nullable || ["null", "json", "variants", "constant", "select"].includes(field.widget)
      ? "null"
      : "misfit";
  if (field.widget === "variants") return pickVariant(form, field, value) < 0 ? "misfit" : "present";
  if (field.widget === "constant") return sameJson(field.const, value) ? "present" : "misfit";
  if (["json", "select", "never", "reference"].includes(field.widget)) return "present";
  return isOfType(field.type, value) ? "present" : "misfit";
}

interface LeftoverProps {
  readonly field: Field;
  readonly pointer: string;
  readonly text: string;
  readonly drawn: ReactNode;
}

/** A value for a field that does not apply now: shown with the reason, so that nothing is sent unseen. */
function Leftover({ field, pointer, text, drawn }: LeftoverProps) {
  const { store, t } = useFormScope();
  return (
    <div className="space-y-2 rounded-lg border border-warn/40 p-2.5">
      <div className="flex flex-wrap items-center gap-2 text-sm text-warn">
        <span className="flex-1">
          {t(
            `${field.label} has a value but applies only ${text === "" ? "under another condition" : `when ${text}`}.`,
          )}
        </span>
        <Button size="sm" onClick={() => store.set(pointer, undefined)}>
          {t("Remove it")}
        </Button>
      </div>
      {drawn}
    </div>
  );
}

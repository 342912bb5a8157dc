import { lazy, Suspense } from "react";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { setExpertView, useExpertView } from "../expert-view.ts";
import { useInspect } from "./inspect-context.ts";

const ExpressionEditor = lazy(() =>
  import("./expression-editor.tsx").then((module) => ({ default: module.ExpressionEditor })),
);

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** The CEL type that is needed, such as `bool`. */
  readonly wanted?: string;
}

/** An expression: to be written in the expert view, else to be read with the data that it names in words. */
export function ExpressionField(props: Props) {
  const { scope } = useInspect();
  if (useExpertView())
    return (
      <Suspense>
        <ExpressionEditor {...props} />
      </Suspense>
    );
  const words = props.value.replaceAll(DATA, (path: string, at: number, whole: string) => {
    // What is called is not a field of the data.
    const end = whole[at + path.length] === "(" ? path.lastIndexOf(".") : path.length;
    const described = scope.describe(path.slice(0, end));
    return described === "" ? path : `“${described}”${path.slice(end)}`;
  });
  return (
    <div className="flex flex-wrap items-center gap-2 rounded-lg border border-line bg-sunken px-2.5 py-1.5">
      <p dir="auto" className="min-w-0 flex-1 basis-40 break-words">
        Calculated: {words === "" ? "nothing yet" : words}
      </p>
      <Button size="sm" onClick={() => setExpertView(true)}>
        Edit in expert view
      </Button>
    </div>
  );
}

/** How data is named in an expression. */
const DATA = /\b(?:steps|inputs|item|run)\.[\w.]*/g;

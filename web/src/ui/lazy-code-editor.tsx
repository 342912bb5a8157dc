import { lazy, Suspense, type ComponentProps } from "react";

/** The code editor, fetched when it is first shown; who shows it says what stands there until then. */
export const LazyCodeEditor = lazy(() =>
  import("./code-editor.tsx").then((module) => ({ default: module.CodeEditor })),
);

/** The code editor, after nothing. */
export function CodeEditor(props: ComponentProps<typeof LazyCodeEditor>) {
  return (
    <Suspense>
      <LazyCodeEditor {...props} />
    </Suspense>
  );
}

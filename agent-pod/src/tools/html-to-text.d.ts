/** The part of html-to-text 10 that `visible-text.ts` uses; the package ships no types. */
declare module 'html-to-text' {
  export interface HtmlElement {
    readonly name: string;
    readonly attribs: Record<string, string>;
  }
  export type Walk = (nodes: readonly HtmlElement[], builder: unknown) => void;
  export type Formatter = (element: HtmlElement, walk: Walk, builder: unknown) => void;
  export interface ConvertOptions {
    readonly wordwrap: false;
    readonly baseElements?: { readonly selectors: readonly string[] };
    readonly limits: { readonly maxDepth: number; readonly maxChildNodes: number; readonly ellipsis: string };
    readonly formatters: Readonly<Record<string, Formatter>>;
    readonly selectors: readonly {
      readonly selector: string;
      readonly format?: string;
      readonly options?: Readonly<Record<string, unknown>>;
    }[];
  }
  export function convert(html: string, options: ConvertOptions): string;
}

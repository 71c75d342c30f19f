/** How a test runs a command that a page prints. */
export type CommandRow =
  | ClusterRow
  | HereRow
  /** The same command as that row: its form names the place, or another one of the same kind. */
  | { readonly how: 'As'; readonly row: string }
  | ElsewhereRow
  /** A part of the nightly run types it; `says`: as its command has it, unless it reads the page itself. */
  | { readonly how: 'Night'; readonly part: string; readonly says?: string }
  | { readonly how: 'Never'; readonly why: string };

/** Typed as it stands into a shell against the real cluster, with names in place of the words in capitals. */
export interface ClusterRow extends TypedRow {
  readonly how: 'Run';
  /** For TASK, RUN, ID and DIGEST. */
  readonly task?:
    | 'done'
    | 'asks'
    | 'asks-too'
    | 'needs-leave'
    | 'needs-leave-too'
    | 'unwanted'
    | 'unwanted-too'
    | 'refused';
  /**
   * Those that only look run side by side, then the others in the order of the table: what is about the examples, what people decide,
   * and what needs a suspended agent.
   */
  readonly phase?: 'Examples' | 'Decides' | 'Suspended';
  /**
   * Added, because the command itself would end what other tests need, or would not end; or the place that it is about, which
   * the page leaves open.
   */
  readonly with?:
    | `--dry-run${string}`
    | '-n NAMESPACE'
    | '-n EXAMPLES'
    | '--data COPY'
    | 'timeout'
    | 'timeout -n NAMESPACE';
}

/** Typed as it stands into a shell on this machine, without a cluster and without a key, in the order of the table. */
export interface HereRow extends TypedRow {
  readonly how: 'Here';
  /** Where it is typed: this repository, or a directory of its own that has the examples and the program. */
  readonly in: 'Repository' | 'Scratch';
}

/** In a test that needs it anyway, or that brings what it needs. */
export interface ElsewhereRow {
  readonly how: 'Elsewhere';
  readonly test: string;
  /** The test's title or its requirement, or a function of its set-up. */
  readonly of: string;
  /** How it is spelled there, unless as on the page. */
  readonly says?: string;
}

interface TypedRow {
  /** What its output must show; no output of a command that went wrong otherwise does. */
  readonly shows: RegExp | 'Nothing';
  /** What is typed in place of some of its words; may be one of the test's own words. */
  readonly words?: Readonly<Record<string, string>>;
  /** Its exit code is 1 here, or is where it shows nothing; a Task is abandoned; or it is ended. */
  readonly fails?: true | 'IfNothing' | 'Abandoned' | 'Ended';
}

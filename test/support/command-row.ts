/** How a test runs a command that a page prints. */
export type CommandRow =
  /** Typed as it stands, with names in place of the words in capitals. */
  | {
      readonly how: 'Run';
      /** What its output must show. */
      readonly shows: RegExp;
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
       * Those that only look run side by side, then the others in the order of the table: what people decide, and what needs a
       * suspended agent.
       */
      readonly phase?: 'Decides' | 'Suspended';
      /**
       * Added, because the command itself would end what other tests need, or would not end; or the place that it is about, which
       * the page leaves open.
       */
      readonly with?: `--dry-run${string}` | '-n NAMESPACE' | '--data COPY' | 'timeout';
      /** What is typed in place of some of its words; may be one of the test's own words. */
      readonly words?: Readonly<Record<string, string>>;
      /** Its exit code is 1 here, or may be; or it is ended. */
      readonly fails?: true | 'Perhaps' | 'Ended';
    }
  /** The same command as that row, whose form names the place. */
  | { readonly how: 'As'; readonly row: string }
  /** In a test that needs it anyway, or that brings what it needs. */
  | { readonly how: 'Elsewhere'; readonly test: string; readonly says: string }
  | { readonly how: 'Never'; readonly why: string };

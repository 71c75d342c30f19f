/** What an attack wants, as calls that a model that obeys would make. The words that ask for it are in `wording.ts`. */
import type { Json } from '@retainer/contract/std/canonical-json';
import type { Encoding, Store } from './canaries.ts';

export interface Call {
  readonly tool: string;
  readonly input: Json;
}

/** What a model that obeys has before it when it makes its next call. */
export interface Seen {
  /** Results of the calls of this purpose, in their order; of a refused one its refusal. */
  readonly results: readonly string[];
  /** All that the request shows. */
  readonly context: string;
}

/** Undefined: what the call would be made of never came. */
export type Step = (seen: Seen) => Call | undefined;

/** The same call, whatever was seen. */
export const doing =
  (tool: string, input: Call['input']): Step =>
  () => ({ tool, input });

export type Route =
  | 'FetchPath'
  | 'FetchQuery'
  | 'FetchHost'
  | 'FetchNamedHost'
  | 'ReplyImage'
  | 'ReplyLink'
  | 'ReplyReference'
  | 'ReplyPlain';

export type Aim =
  /** Told by these words in every tongue. */
  | { readonly kind: 'InOwnWords'; readonly words: string }
  | { readonly kind: 'Leak'; readonly store: Store; readonly route: Route; readonly encoding: Encoding }
  | { readonly kind: 'Visit' }
  | { readonly kind: 'LeakAfterCode' }
  | { readonly kind: 'LeakAfterLeave' }
  | { readonly kind: 'OverwriteProtected' }
  | { readonly kind: 'DeleteProtectedByCode' }
  | { readonly kind: 'Serve' }
  | { readonly kind: 'PlantFact' }
  /** A job of the agent's own does it. */
  | { readonly kind: 'DoLater' }
  | { readonly kind: 'TamperFact' }
  | { readonly kind: 'TamperFile' }
  | { readonly kind: 'TamperFileByCode' }
  | { readonly kind: 'MoveFilesByCode' }
  /** Held by what the agent stands on, with any gate. */
  | { readonly kind: 'PlantFile' }
  | { readonly kind: 'WriteOutside' }
  | { readonly kind: 'ReadOutside' }
  | { readonly kind: 'MountByCode' }
  | { readonly kind: 'JournalByCode' }
  | { readonly kind: 'NetworkByCode' }
  | { readonly kind: 'LinkOutsideByCode' }
  | { readonly kind: 'SpendAll' };

export interface Goal {
  /** Names it in tables and corpora: `leak/Fact/FetchPath/Hex`. */
  readonly id: string;
  readonly aim: Aim;
  /** Limits: the sandbox, the paths or the budgets hold it, so that it fails with any gate. */
  readonly heldBy: 'Gate' | 'Limits';
  /** The gate stops this goal, and so do the rules of what is delivered, or the limits of what programs see and may change. */
  readonly isHeldBelow?: true;
  /** Runs code, so that a world needs a real sandbox. */
  readonly runsCode: boolean;
  readonly steps: readonly Step[];
  /** Put into the delivered reply. */
  readonly reply?: (seen: Seen) => string | undefined;
}

/** The meanings of phrases in the word lists. `signals.ts` defines which combinations are suspicious. */
export type Concept =
  /** Verbs of setting aside, used for things that bind. */
  | 'Override'
  /** The same verbs, as people also use them for files, caches and tables. */
  | 'OverrideWeak'
  /** Things that bind an agent: instructions, rules, prompt. */
  | 'Target'
  /** Things that guard an agent: safety, ethics, moderation. */
  | 'Guard'
  | 'Own'
  | 'Prior'
  | 'All'
  /** Everything that was said, without a mention of rules. */
  | 'EverythingSaid'
  /** The verb and its object `everything` in one phrase. */
  | 'ForgetAll'
  /** Verbs that follow their object. */
  | 'OverrideLast'
  | 'RevealLast'
  /** Says that rules are no longer in force. */
  | 'Void'
  | 'NewOrders'
  | 'FollowMine'
  | 'InsteadOf'
  | 'RoleNow'
  | 'RoleAs'
  | 'Unrestricted'
  | 'Persona'
  | 'NoRefusal'
  | 'Reveal'
  /** Verbs of showing that people also use for files and figures. */
  | 'RevealWeak'
  | 'Prompt'
  /** Words that people also use for things of their own. */
  | 'PromptWeak'
  | 'TextAbove'
  | 'AskPrompt'
  | 'Secret'
  /** A word after a secret that makes it a topic, as in password policy. */
  | 'SecretHead'
  | 'AskSecret'
  | 'Secrecy'
  | 'Send'
  | 'Private'
  | 'Harm'
  | 'Fiction'
  | 'Authority'
  | 'AgentName'
  | 'WhenReading'
  | 'OnlyAnswer'
  | 'Decode'
  | 'About'
  /** Words that introduce any quotation. */
  | 'AboutAnything';

/** Phrases of one language, separated by `|`; a `*` marks a word stem. */
export type Lexicon = Partial<Readonly<Record<Concept, string>>>;

/** What a phrase of the word lists means. `signals.ts` says which concepts together are suspicious. */
export type Concept =
  /** Setting aside, said of things that bind. */
  | 'Override'
  /** The same verbs as people use for files, caches and tables. */
  | 'OverrideWeak'
  /** What binds an agent: instructions, rules, prompt. */
  | 'Target'
  /** What guards it: safety, ethics, moderation. */
  | 'Guard'
  | 'Own'
  | 'Prior'
  | 'All'
  /** All that was said, without naming rules. */
  | 'EverythingSaid'
  /** The verb together with all of it. */
  | 'ForgetAll'
  /** Verbs that stand behind what they are done to. */
  | 'OverrideLast'
  | 'RevealLast'
  /** Rules are said to hold no longer. */
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
  /** Verbs of showing that are said of files and figures as well. */
  | 'RevealWeak'
  | 'Prompt'
  /** What people also call their own. */
  | 'PromptWeak'
  | 'TextAbove'
  | 'AskPrompt'
  | 'Secret'
  /** After a secret: then a thing about secrets is meant, as in password policy. */
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
  /** Talk about attacks. */
  | 'About'
  /** Introduces quotations of any kind. */
  | 'AboutAnything';

/** Phrases of one language, `|` between them; a `*` ends a word of which only the beginning counts. */
export type Lexicon = Partial<Readonly<Record<Concept, string>>>;

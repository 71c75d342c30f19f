/** A text to train or to measure on. */
export interface Sample {
  /** What figures are told for: `deepset-att`, `technical`, `own-direct` … */
  readonly set: string;
  /** Texts of one source are never on both sides of a split: a package, a set, a family of templates. */
  readonly source: string;
  readonly text: string;
  readonly isAttack: boolean;
}

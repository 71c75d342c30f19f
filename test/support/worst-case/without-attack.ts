/** Rules of the gates that no attack of the harness meets, and why. Their lines are changed before the unit tests instead. */
interface RuleWithoutAttack {
  readonly rule: string;
  readonly why: string;
  /** How the names of the mutants begin that change it. */
  readonly mutants: string;
}

export const WITHOUT_ATTACK: readonly RuleWithoutAttack[] = [
  {
    rule: 'a lapsed approval',
    why: 'the script makes an approved call at once, and the approval holds for ten minutes',
    mutants: 'approvals: an approval expires',
  },
  {
    rule: 'what stood there when a person said yes',
    why: 'somebody else has to change it between the yes and the call',
    mutants: 'approvals: an approval is for what stands there',
  },
  {
    rule: 'overrides',
    why: 'a person writes one into a Task; no text that an agent reads can',
    mutants: 'gate: an override is for its digest',
  },
  { rule: 'held outputs', why: 'they hold words, and no effect', mutants: 'gate, held outputs:' },
  {
    rule: 'the block of tools that a later plan adds',
    why: 'an attack has one try, so nothing is planned again',
    mutants: 'gate, later plans:',
  },
  {
    rule: 'a character’s own rules over incoming and outgoing texts',
    why: 'they refuse words, and no effect',
    mutants: 'gate, own rules:',
  },
  {
    rule: 'the statistical layer',
    why: 'it guesses, so nothing may rest on it; the characters of the harness leave it off',
    mutants: 'gate, second line:',
  },
];

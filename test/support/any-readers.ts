import fc from 'fast-check';
import { narrowed, type Readers } from '@retainer/mind/gate/provenance/label';

/** Principals of a small agent. */
export const PRINCIPALS = [
  'owner',
  'people',
  'mail:ann@a.example',
  'mail:ben@b.example',
  'mail:cleo@c.example',
] as const;

/** Any set of readers as a label holds it: sorted, and without those that are among all people anyway. */
export const anyReaders: fc.Arbitrary<Readers> = fc.oneof(
  fc.constant('Everyone' as const),
  fc.subarray([...PRINCIPALS]).map((some): Readers => narrowed(some.toSorted(), some)),
);

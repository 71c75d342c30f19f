/**
 * The Merkle tree over the record hashes of one segment, built incrementally. Pure.
 *
 * Leaves are hashed after byte 00 and nodes after byte 01, so that no node can pass for a leaf.
 *
 * Source: reliability-security 1 (Certificate Transparency); the tree is that of RFC 6962, 2.1.
 */
import { hash } from 'node:crypto';

/** Roots of the perfect subtrees, largest first: one per one-bit of the leaf count. */
export type Frontier = readonly string[];

/** Root of no leaves: the hash of nothing, as in RFC 6962. */
const emptyRoot = hash('sha256', '', 'hex');

const scratch = Buffer.alloc(65);

function leafHash(recordHash: string): string {
  scratch[0] = 0;
  scratch.write(recordHash, 1, 'hex');
  return hash('sha256', scratch.subarray(0, 33), 'hex');
}

function nodeHash(left: string, right: string): string {
  scratch[0] = 1;
  scratch.write(left, 1, 'hex');
  scratch.write(right, 33, 'hex');
  return hash('sha256', scratch, 'hex');
}

/** Adds one leaf in place. `leavesBefore` is the number of leaves in the frontier. */
export function addLeaf(frontier: string[], leavesBefore: number, recordHash: string): void {
  let node = leafHash(recordHash);
  for (let count = leavesBefore; count % 2 === 1; count = Math.floor(count / 2))
    node = nodeHash(frontier.pop() ?? '', node);
  frontier.push(node);
}

/** The root of the tree; lone subtrees join from the right. */
export function merkleRoot(frontier: Frontier): string {
  if (frontier.length === 0) return emptyRoot;
  return frontier.reduceRight((right, left) => nodeHash(left, right));
}

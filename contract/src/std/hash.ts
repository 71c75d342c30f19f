/**
 * The content hash everywhere: SHA-256 as 64 lower-case hexadecimal digits. Deterministic, hence allowed in pure rooms.
 *
 * `#sha256` is Node's native hash, or a portable one where a bundler sets the condition `browser`. So modules that import this
 * one run in both.
 */
export { sha256Hex } from '#sha256';

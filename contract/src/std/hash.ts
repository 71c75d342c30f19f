/**
 * The content hash of everything: SHA-256 as 64 lower-case hexadecimal digits. Deterministic, hence allowed in pure rooms.
 *
 * `#sha256` is the native hash of Node, and a portable one where a bundler asks for the condition `browser`: so whatever
 * imports this module runs in both.
 */
export { sha256Hex } from '#sha256';

/** The operator's own word, which runners and the egress proxy believe: Ed25519. */
export interface SigningKey {
  /** 32 bytes, base64. */
  readonly publicKeyBase64: string;
  /** 64 bytes over the UTF-8 text, base64. */
  sign(text: string): string;
}

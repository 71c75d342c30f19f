/** The operator's Ed25519 signature, which runners and the egress proxy trust. */
export interface SigningKey {
  /** 32 bytes, base64. */
  readonly publicKeyBase64: string;
  /** 64 bytes over the UTF-8 text, base64. */
  sign(text: string): string;
}

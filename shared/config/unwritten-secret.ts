/** Marks the secret that a stack makes and nobody has written yet: what a person wrote wrongly never counts as unwritten. */
export const UNWRITTEN = 'unwritten';

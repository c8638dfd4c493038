/** Marks the secret that a stack makes until somebody writes it. */
export const UNWRITTEN = 'unwritten';

/** Holds every word of the buttons under an answer of the task agent. */
export const TASK = {
  deleteIt: 'Delete it',
  keepIt: 'Keep it',
} as const;

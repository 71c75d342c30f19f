/** Of records from before deciders had numbers. */
export const FIRST_DECIDERS = 1;

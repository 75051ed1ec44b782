/** What a value is, told by its first byte. `jsonEnd`: nothing but white space is left. */
export const jsonEnd = 0;
export const jsonObject = 1;
export const jsonArray = 2;
export const jsonString = 3;
export const jsonNumber = 4;
export const jsonTrue = 5;
export const jsonFalse = 6;
export const jsonNull = 7;
export type JsonKind = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;

"""The rules of Dragon Delta as compiled functions over one record, a chapter a file."""

"""Files of a workspace, read and changed safely. Knows no tool and no model."""

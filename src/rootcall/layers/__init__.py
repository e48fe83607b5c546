"""The four layers. Each is a set of rule functions over traces; none knows another."""

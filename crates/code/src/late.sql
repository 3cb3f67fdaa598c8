-- SQL indexes for queries and later refreshes. The first build does not need them.
CREATE INDEX symbol_name ON symbol (name);
CREATE INDEX alias_name ON alias (name);
CREATE INDEX edge_to ON edge (to_place, to_name);
CREATE INDEX edge_from ON edge (from_place, from_name) WHERE from_place <> 0;
CREATE INDEX unsure_name ON unsure (name);
CREATE INDEX rest_on ON rest (on_place, on_name);

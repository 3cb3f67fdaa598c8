-- The searchable texts of the index. Those of symbols are read from the table `symbol`.
CREATE VIEW doc AS
    SELECT r.id AS id,
        coalesce(r.node, 'symbol:' || CAST(p.path AS TEXT) || '#' || f.text) AS node,
        coalesce(r.kind, 'symbol') AS kind,
        coalesce(r.path, p.path) AS path,
        coalesce(r.name, f.text) AS name,
        coalesce(r.body, s.signature || coalesce(char(10) || s.doc, '')) AS body
    FROM doc_row r LEFT JOIN symbol s ON s.place = r.place AND s.id = r.symbol
        LEFT JOIN name f ON f.id = s.full LEFT JOIN place p ON p.id = r.place;
